from collections.abc import Mapping, Sequence


class Error(ValueError):
    pass

class InputError(Error):
    pass

class OptionError(Error):
    pass

class ModelError(Error):
    pass

class MissingInputError(InputError, FileNotFoundError):
    pass

class MissingModelError(ModelError, FileNotFoundError):
    pass

class OutputError(OSError):
    pass

def tasks() -> dict:
    """Name -> summary and options of every task."""

def learners() -> dict:
    """Name -> summary, loss and options of every learner."""

def settings() -> list:
    """The settings of training."""

def nearest(word: str, names: Sequence[str]) -> str:
    """The name closest to a word, or nothing."""

version: str = '0.1.0'

class Score:
    """score(features): the sum of values times current weights."""

    def __call__(self, features: object) -> float: ...

class Augment:
    """augment(y): the loss term added to the score of y."""

    def __call__(self, y: object | None) -> float: ...

def train_python_task(task: object, X: list, y: list, X_dev: object | None, y_dev: object | None, learner: str, options: Mapping[str, str], settings: Mapping[str, str], max_features: int, init: object | None, watcher: object | None) -> tuple: ...

def predict_python_task(task: object, X: list, weights: dict) -> list: ...

def check_python_task(task: object, X: list, y: list, max_features: int, rounds: int, seed: int) -> list[str]: ...

class Data:
    """Examples of a task."""

def file(path: str) -> Data:
    """Examples in a file, or in several: 'a.txt,b.txt', 'part-*.gz'."""

def write_file(path: str, bytes: bytes) -> None:
    """Writes a file atomically."""

def train(task: str, task_options: Mapping[str, str], learner: str, learner_options: Mapping[str, str], data: Data, dev: Data | None, settings: Mapping[str, str], init: object | None, watcher: object | None, input: str) -> tuple: ...

def task_of(path: str) -> str:
    """The task of a model file."""

class Model:
    def bytes(self) -> bytes: ...

    def meta(self) -> str: ...

    def summary(self) -> str: ...

    @property
    def likelihood(self) -> bool: ...

    def evaluate(self, data: Data, options: Mapping[str, str], threads: int) -> tuple: ...

    def save(self, path: str) -> None: ...

    def heaviest(self, n: int) -> list: ...

def tag_data(X: object | None, y: object | None, lists_are_attributes: bool, what: str) -> Data:
    """Sentences in memory."""

class TagModel(Model):
    @staticmethod
    def from_bytes(data: bytes) -> TagModel: ...

    @staticmethod
    def open(path: str) -> TagModel: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    @property
    def labels(self) -> list: ...

    @property
    def reads_attributes(self) -> bool: ...

    def read(self, path: str) -> list: ...

    def predict(self, X: object | None, lists_are_attributes: bool, threads: int) -> list: ...

    def n_best(self, X: object | None, lists_are_attributes: bool, threads: int, n: int, probabilities: bool) -> list: ...

    def marginals(self, X: object | None, lists_are_attributes: bool, threads: int) -> list: ...

    def explain(self, x: object | None, path: object | None, rivals: object | None, lists_are_attributes: bool) -> list: ...

    def log_probability(self, x: object | None, labels: object, lists_are_attributes: bool) -> float: ...

    def state_weights(self) -> list: ...

    def transitions(self) -> list: ...

def dep_data(X: object | None, y: object | None, what: str) -> Data:
    """Trees in memory."""

class DepModel(Model):
    @staticmethod
    def from_bytes(data: bytes) -> DepModel: ...

    @staticmethod
    def open(path: str) -> DepModel: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    @property
    def labels(self) -> list: ...

    def predict(self, X: object | None, threads: int) -> list: ...

    def n_best(self, X: object | None, threads: int, n: int, probabilities: bool) -> list: ...

    def marginals(self, X: object | None, threads: int) -> list: ...

    def explain(self, x: object | None, y: object | None, rivals: object | None) -> list: ...

def rerank_data(X: object | None, references: object | None, costs: object | None, what: str) -> Data:
    """N-best lists in memory."""

class RerankModel(Model):
    @staticmethod
    def from_bytes(data: bytes) -> RerankModel: ...

    @staticmethod
    def open(path: str) -> RerankModel: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    def scores(self, X: object | None, threads: int) -> list[list[float]]: ...

    def file_scores(self, path: str, cost: str, threads: int) -> list[list[float]]: ...

    def contributions(self, x: object | None, chosen: int, rival: int) -> list: ...

def classify_data(X: object | None, y: object | None, what: str) -> Data:
    """Texts in memory."""

class ClassifyModel(Model):
    @staticmethod
    def from_bytes(data: bytes) -> ClassifyModel: ...

    @staticmethod
    def open(path: str) -> ClassifyModel: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    @property
    def labels(self) -> list: ...

    def read(self, path: str) -> list: ...

    def predict(self, X: object | None, threads: int) -> list: ...

    def scores(self, X: object | None, threads: int, marginals: bool) -> object: ...

    def explain(self, text: str, label: str, rival: str) -> tuple: ...

def to_brackets(tree: object | None) -> str: ...

def from_brackets(text: object | None) -> tuple: ...

def read_brackets(path: str) -> list: ...

def const_data(trees: object, X: object | None, tags: bool, keep_empty: bool, what: str) -> Data:
    """Trees in memory."""

class ConstModel(Model):
    @staticmethod
    def from_bytes(data: bytes) -> ConstModel: ...

    @staticmethod
    def open(path: str) -> ConstModel: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    @property
    def labels(self) -> list: ...

    def read(self, path: str) -> list: ...

    def predict(self, X: object | None, threads: int, brackets: bool) -> list: ...

    def n_best(self, X: object | None, threads: int, n: int, brackets: bool, probabilities: bool) -> list: ...

    def marginals(self, X: object | None, threads: int) -> list: ...

    def explain(self, x: object | None, rank: int) -> tuple: ...

def coref_data(X: object, what: str) -> Data:
    """Documents in memory."""

class CorefModel(Model):
    @staticmethod
    def from_bytes(data: bytes) -> CorefModel: ...

    @staticmethod
    def open(path: str) -> CorefModel: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    def predict(self, data: Data, threads: int) -> list: ...

    def text(self, data: Data, threads: int, html: bool) -> str: ...

    def explain(self, data: Data, mention: object, antecedent: object | None) -> tuple: ...

def summarize_data(X: object, y: object | None, what: str) -> Data:
    """Topics in memory."""

class SummarizeModel(Model):
    @staticmethod
    def from_bytes(data: bytes) -> SummarizeModel: ...

    @staticmethod
    def open(path: str) -> SummarizeModel: ...

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    def predict(self, data: Data, threads: int) -> list: ...

    def explain(self, data: Data) -> list: ...
