"""scikit-learn's parameter protocol, without requiring scikit-learn."""

from __future__ import annotations

import copy
import difflib
import functools
import html
import inspect
import os
import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from hinge._hinge import InputError, MissingInputError, MissingModelError, nearest

if TYPE_CHECKING:
    from typing_extensions import Self


class NotFittedError(ValueError, AttributeError):
    """predict() before fit(). If scikit-learn is loaded, also an instance of its NotFittedError."""

    def __reduce__(self) -> tuple[Any, ...]:
        return not_fitted_error, self.args


@functools.cache
def not_fitted_class() -> type[NotFittedError]:
    from sklearn.exceptions import NotFittedError as Theirs

    return type("NotFittedError", (NotFittedError, Theirs), {"__module__": __name__})


def not_fitted_error(message: str) -> NotFittedError:
    return (not_fitted_class() if sys.modules.get("sklearn") is not None else NotFittedError)(message)


def not_fitted(estimator: object) -> NotFittedError:
    return not_fitted_error(f"this {type(estimator).__name__} is not fitted yet; call fit() or load() first")


def guess(name: Any, names: Iterable[str]) -> str:
    """", did you mean 'X'", or nothing if no name is near."""
    near = nearest(name, list(names)) if isinstance(name, str) else ""
    if near and difflib.SequenceMatcher(None, name.lower(), near.lower()).ratio() < 0.5:  # of short names all are near
        near = ""
    return f", did you mean {near!r}" if near else ""


def no_parameter(owner: str, name: str, names: list[str]) -> str:
    near = guess(name, names)
    return f"{owner} has no parameter {name!r}{near + '?' if near else '; it has: ' + ', '.join(names)}"


def of_two_kinds(kind: type[Exception], cause: type[OSError], message: str) -> Exception:
    """An error of both kinds, which can be pickled."""
    attributes = {"__module__": __name__, "__reduce__": lambda self: (of_two_kinds, (kind, cause, str(self)))}
    error: Exception = type(kind.__name__, (kind, cause), attributes)(message)
    return error


def unreadable(kind: type[Exception], path: Any, error: OSError) -> Exception:
    """The InputError or ModelError for a file that cannot be read; also of the kind of `error`."""
    message = f"{os.fspath(path)}: cannot be opened ({error.strerror}); check the path"
    if isinstance(error, FileNotFoundError):
        return (MissingInputError if kind is InputError else MissingModelError)(message)
    return of_two_kinds(kind, type(error), message)


def readable(path: str | os.PathLike[str]) -> IO[str]:
    """An open text file, whose lines end only with a line feed."""
    try:
        return open(path, encoding="utf-8-sig", newline="\n")
    except OSError as error:
        raise unreadable(InputError, path, error) from None


Method = TypeVar("Method", bound=Callable[..., Any])


def naming_nearest(method: Method) -> Method:
    """The method; if it is called with an argument that it lacks, the TypeError names the nearest one."""
    code = method.__code__
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return method
    names = [name for name in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount] if name not in ("self", "cls")]

    @functools.wraps(method)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in names:
                owner = args[0] if isinstance(args[0], type) else type(args[0])
                raise TypeError(no_parameter(f"{owner.__name__}.{method.__name__}()", name, names))
        return method(*args, **kwargs)

    return cast(Method, checked)


class Parameters:
    """What Pipeline, GridSearchCV and clone expect of an estimator: its parameters
    are the arguments of __init__, stored unchanged under their names."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.__module__.startswith("hinge."):
            return
        for name, member in list(vars(cls).items()):
            if name.startswith("_"):
                continue
            if isinstance(member, classmethod):
                setattr(cls, name, classmethod(naming_nearest(member.__func__)))
            elif isinstance(member, FunctionType):
                setattr(cls, name, naming_nearest(member))

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if all(a.kind != a.VAR_KEYWORD for a in inspect.signature(cls.__init__).parameters.values()):
            names = cls._get_param_names()
            for name in kwargs:
                if name not in names:
                    raise TypeError(no_parameter(cls.__name__, name, names))
        return super().__new__(cls)

    def _keep(self, arguments: dict[str, Any]) -> None:
        """Stores the arguments of __init__ unchanged."""
        for name, value in arguments.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    @classmethod
    def _arguments(cls) -> dict[str, inspect.Parameter]:
        """The parameters of __init__; if it takes **kwargs, also those of the next base class."""
        found: dict[str, inspect.Parameter] = {}
        for base in cls.__mro__:
            if "__init__" not in vars(base):
                continue
            arguments = inspect.signature(vars(base)["__init__"]).parameters
            for name, parameter in arguments.items():
                if name != "self" and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                    found.setdefault(name, parameter)
            if all(parameter.kind != parameter.VAR_KEYWORD for parameter in arguments.values()):
                break
        return found

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(cls._arguments())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Self:
        names = self._get_param_names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(no_parameter(type(self).__name__, name, names))
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._arguments()
        changed = (f"{k}={v!r}" for k, v in self.get_params().items() if repr(v) != repr(defaults[k].default))
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        """The parameters that are not the default, and whether it is fitted; notebooks show it."""
        defaults = self._arguments()
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(repr(value))}</td></tr>"
                       for name, value in self.get_params().items() if repr(value) != repr(defaults[name].default))
        state = "fitted" if self.__sklearn_is_fitted__() else "not fitted"
        return f"<details open><summary>{type(self).__name__} ({state})</summary><table>{rows}</table></details>"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(two_d_array=False, string=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "history_")


class DevData(Parameters):
    """Routes X_dev and y_dev through scikit-learn's searches and pipelines to fit()."""

    def set_fit_request(self, *, X_dev: bool | str | None = None, y_dev: bool | str | None = None) -> Self:
        """Whether meta-estimators with metadata routing pass X_dev and y_dev on to fit()."""
        request = self.get_metadata_routing()
        for name, alias in (("X_dev", X_dev), ("y_dev", y_dev)):
            request.fit.add_request(param=name, alias=alias)
        self._metadata_request = request  # the name under which clone() copies it
        return self

    def get_metadata_routing(self) -> Any:
        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return copy.deepcopy(self._metadata_request)
        request = MetadataRequest(owner=type(self).__name__)
        for name in ("X_dev", "y_dev"):
            request.fit.add_request(param=name, alias=None)
        return request


class Answers(list[Any]):
    """A list of lists that NumPy converts to an array of lists even if all have
    the same length, as cross_val_predict needs."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        array = np.empty(len(self), dtype=object)
        for k, item in enumerate(self):
            array[k] = item
        return array


def as_list(value: Any, name: str) -> list[Any]:
    """Converts other sequences of examples, and iterators, to lists."""
    if isinstance(value, list):
        return value
    if hasattr(value, "__next__"):
        return list(value)
    if (isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__") or not hasattr(value, "__iter__")
            or getattr(value, "ndim", 1) == 0):
        raise TypeError(f"{name} must be a list with one item per example, not {type(value).__name__}")
    return list(value)


def check_same_length(X: list[Any], y: list[Any], names: str) -> None:
    if len(X) != len(y):
        raise InputError(f"{names} must have the same length, but have {len(X)} and {len(y)} items")
