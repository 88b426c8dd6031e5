"""What amberfork knows: no file, socket, terminal or environment is touched here."""
