"""The file of a CRF's model, as the attribute `modelfile` of sklearn-crfsuite."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import Any


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
