"""What is special about single GA test programs; all others are expected to print no word of failure."""
from runner import Program
from verdict import Expect

SPECIAL = {
}


def program(name, path):
    """The Program for GA's test program of this name, for example global/testing/patch."""
    return Program(name, path, **SPECIAL.get(name, {}))
