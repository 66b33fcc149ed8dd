/* The headers that the bindings are generated from: all of libotf2, and functions that format its messages. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <otf2/otf2.h>
