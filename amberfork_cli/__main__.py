"""`amberfork` and `python -m amberfork_cli`: answer what needs no command before anything is loaded."""

import sys


def main() -> None:
    """Run the command line; never returns."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from amberfork_cli import __version__

        sys.stdout.write(f"amberfork {__version__}\n")
        raise SystemExit(0)

    from amberfork_cli.cli import app
    from amberfork_cli.commands.exits import run

    run(app)


if __name__ == "__main__":
    main()
