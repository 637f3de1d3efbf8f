"""What the interpreter says of a program that the device would not forgive, or would in silence."""


class Fault(Exception):
    pass
