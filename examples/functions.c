/* A module of EZTrace 2.0 that records every call of a program's functions, including recursive calls.
 * The program must be compiled with -finstrument-functions, so that its functions call those below, and
 * linked with -rdynamic, so that they have names. It must have a single thread.
 * Build: gcc -shared -fPIC -o libeztrace-functions.so functions.c -leztrace-lib -leztrace-core
 * Use: eztrace -l FOLDER -t "openmpi functions" PROGRAM
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <eztrace-lib/eztrace.h>
#include <eztrace-lib/eztrace_module.h>

#define CURRENT_MODULE functions
DECLARE_CURRENT_MODULE;

/* This module intercepts no functions. */
PPTRACE_START_INTERCEPT_FUNCTIONS(functions)
PPTRACE_END_INTERCEPT_FUNCTIONS(functions);

static struct { void *function; int region; } known[100];

static int region_of(void *function) {
  int i = 0;
  Dl_info info;
  while (known[i].function && known[i].function != function) i++;
  if (!known[i].function) {
    int named = dladdr(function, &info) && info.dli_sname;
    known[i].region = ezt_otf2_register_function(named ? info.dli_sname : "unknown");
    known[i].function = function;
  }
  return known[i].region;
}

/* EZTrace records nothing before MPI_Init returns or after MPI_Finalize is called. */
void __cyg_profile_func_enter(void *function, void *caller) {
  (void)caller;
  if (!EZTRACE_SAFE) return;
  int region = region_of(function);
  EZT_OTF2_EvtWriter_Enter(evt_writer, NULL, ezt_get_timestamp(), region);
}

void __cyg_profile_func_exit(void *function, void *caller) {
  (void)caller;
  if (!EZTRACE_SAFE) return;
  int region = region_of(function);
  EZT_OTF2_EvtWriter_Leave(evt_writer, NULL, ezt_get_timestamp(), region);
}

static void begin(void) {
  if (eztrace_autostart_enabled()) eztrace_start();
}

static void end(void) {
  eztrace_stop();
}

__attribute__((constructor)) static void register_module(void) {
  EZT_REGISTER_MODULE(functions, "Functions compiled with -finstrument-functions", begin, end);
}
