"""Files as amberfork opens and writes them.

A source is read once, as a stream, and looked at again in places: a plain file where it lies, everything
else (pipes, compressed data) in a temporary copy. A target is written whole or not at all.
"""

from amberfork_cli.files.reading import Notice, Readable, Source, open_source
from amberfork_cli.files.spool import Spool
from amberfork_cli.files.writing import Writable, atomic_output

__all__ = ["Notice", "Readable", "Source", "Spool", "Writable", "atomic_output", "open_source"]
