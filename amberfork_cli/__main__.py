"""`amberfork` and `python -m amberfork_cli`: answer what needs no command before anything is loaded."""

import sys
from contextlib import suppress


def main() -> None:
    """Run the command line; never returns."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from amberfork_cli import __version__

        with suppress(OSError, AttributeError):  # the long way below says what is wrong
            sys.stdout.write(f"amberfork {__version__}\n")
            sys.stdout.flush()
            raise SystemExit(0)

    from amberfork_cli.cli import app
    from amberfork_cli.commands.exits import run

    run(app)


if __name__ == "__main__":
    main()
