//! Time-independent traces of SimGrid: what each rank does, in actions.
