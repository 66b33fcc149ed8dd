/* What the bindings are made of: all of libotf2, and the formatting of its messages. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <otf2/otf2.h>
