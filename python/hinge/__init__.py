"""Large-margin structured prediction: taggers, parsers, rerankers, text classifiers, coreference, summaries, and your own tasks."""

from hinge import crfsuite, metrics, report, scorers
from hinge._base import NotFittedError
from hinge._hinge import Error, InputError, MissingInputError, MissingModelError, ModelError, OptionError, OutputError
from hinge._hinge import version as __version__
from hinge._loading import load
from hinge._training import learners, tasks
from hinge.classifier import Reason, TextClassifier
from hinge.constituency import ConstituencyParser, TreeExplanation, from_brackets, read_brackets, to_brackets
from hinge.crf import CRF
from hinge.custom import StructuredPredictor, Task, check_task
from hinge.parser import ArcExplanation, DependencyParser, read_conllu
from hinge.reranker import Choice, Reranker
from hinge.resolver import CoreferenceResolver, LinkExplanation
from hinge.summarizer import SentenceExplanation, Summarizer, Summary, SummarySentence
from hinge.tagger import Explanation, SequenceTagger, read_columns
from hinge.weights import WeightTables

__all__ = [
    "ArcExplanation", "CRF", "Choice", "ConstituencyParser", "CoreferenceResolver", "DependencyParser", "Error", "Explanation", "InputError",
    "LinkExplanation", "ModelError", "MissingInputError", "MissingModelError", "NotFittedError", "OptionError", "OutputError", "Reason", "Reranker", "SentenceExplanation", "SequenceTagger",
    "StructuredPredictor", "Summarizer", "Summary", "SummarySentence", "Task", "TextClassifier", "TreeExplanation", "WeightTables", "__version__", "check_task", "crfsuite", "from_brackets",
    "learners", "load", "metrics", "read_brackets", "read_columns", "read_conllu", "report", "scorers", "tasks", "to_brackets",
]
