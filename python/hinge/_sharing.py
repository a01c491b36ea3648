"""Pickled models are shared: a process that unpickles one many times holds it once.

The bytes travel as a NumPy array, which joblib's processes map from one file and Dask
sends without copying.
"""

from __future__ import annotations

import atexit
import hashlib
import threading
from collections import OrderedDict
from typing import Any

import numpy as np
import numpy.typing as npt

KEPT = 4  # the number of unpickled models a process keeps, the last used ones

Packed = tuple[str, npt.NDArray[np.uint8]]  # a checksum, and the model file

_lock = threading.Lock()
_opened: OrderedDict[tuple[type, str], Any] = OrderedDict()
atexit.register(_opened.clear)  # models must not outlive the extension


def pack(model: Any) -> Packed:
    data = model.bytes()
    return hashlib.blake2b(data, digest_size=16).hexdigest(), np.frombuffer(data, dtype=np.uint8)


def unpack(models: Any, packed: Packed) -> Any:
    checksum, data = packed
    with _lock:
        model = _opened.get((models, checksum))
        if model is None:
            model = models.from_bytes(data.tobytes())
        _opened[models, checksum] = model
        _opened.move_to_end((models, checksum))
        if len(_opened) > KEPT:
            _opened.popitem(last=False)
        return model
