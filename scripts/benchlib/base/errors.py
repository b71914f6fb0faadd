"""What the scripts raise for input that they cannot use."""


class InputError(Exception):
    """The input cannot be used; the message is one line for the user."""
