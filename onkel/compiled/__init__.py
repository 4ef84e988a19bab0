"""How Python becomes machine code, and what compiled code is written with."""
