"""The file of a CRF's model, as the attribute `modelfile` of sklearn-crfsuite."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import Any

from hinge import _hinge
from hinge._base import unreadable

CUSTOM = b'"hinge StructuredPredictor '  # in the first bytes
KNOWN = 64  # bytes that tell what a file is
IN_MEMORY = "the model"  # its name in messages


def not_opened(error: Exception, path: str | os.PathLike[str]) -> Exception:
    """The error for a model file that was refused with `error`, if there is more to say."""
    if isinstance(error, OSError):
        return error
    try:
        with open(path, "rb") as file:
            return not_read(error, file.read(KNOWN), os.fspath(path))
    except OSError as cause:
        return unreadable(_hinge.ModelError, path, cause)


def not_read(error: Exception, data: bytes, name: str) -> Exception:
    """Names what can read the model, if it is known."""
    if CUSTOM in data[:KNOWN]:
        call = "load(path, task=...)" if name != IN_MEMORY else "from_bytes(data, task=...)"
        return _hinge.ModelError(f"{name}: is a model of a task of your own; use hinge.StructuredPredictor.{call}")
    if data.startswith(b"lCRF"):
        return _hinge.ModelError(f"{name}: is a model of CRFsuite; train it again with hinge.CRF")
    return error


class ModelFile:
    """Without model_filename a temporary file, written when its name is first asked for.

    It is removed with the object, unless keep_tempfiles.
    """

    def __init__(self, filename: str | None, keep_tempfiles: bool) -> None:
        self.auto = filename is None
        self.keep_tempfiles = keep_tempfiles
        self._given = filename
        self._estimator: Any = None  # with the model
        self._written: str | None = None
        self._remove: Any = None

    @property
    def name(self) -> str | None:
        """None before fit(), unless it was given."""
        if self._given is not None:
            return self._given
        if self._written is None and self._estimator is not None:
            self.ensure_name()
        return self._written

    def holds(self, estimator: Any) -> None:
        """The model to be written from now on."""
        self.cleanup()
        self._estimator = estimator

    def ensure_name(self) -> None:
        if self._given is not None or self._written is not None:
            return
        number, self._written = tempfile.mkstemp(".crfsuite", "model")
        os.close(number)
        if not self.keep_tempfiles:
            self._remove = weakref.finalize(self, _remove, self._written)
        if self._estimator is not None:
            self._estimator.save(self._written)

    def cleanup(self) -> None:
        """Removes the temporary file."""
        if self._remove is not None:
            self._remove()
        self._written = self._remove = None

    def refresh(self) -> None:
        """A new temporary file, with the model if there is one."""
        self.cleanup()
        self.ensure_name()


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
