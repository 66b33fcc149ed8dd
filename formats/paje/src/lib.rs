//! Pajé traces: self-describing text, as SimGrid, StarPU and EZTrace 1 write it.
