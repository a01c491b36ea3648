from hinge._base import Parameters


class CorefParameters(Parameters):
    pass
