/* A module of EZTrace 2.0 that records the functions of a program, each call of them, in calls of itself too.
 * The program must be compiled with -finstrument-functions, so that its functions call those below, and be
 * linked with -rdynamic, so that they have names. It may have one thread.
 * Build: gcc -shared -fPIC -o libeztrace-functions.so functions.c -leztrace-lib -leztrace-core
 * Use: eztrace -l FOLDER -t "openmpi functions" PROGRAM
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <eztrace-lib/eztrace.h>
#include <eztrace-lib/eztrace_module.h>

#define CURRENT_MODULE functions
DECLARE_CURRENT_MODULE;

/* EZTrace is to replace no function by one of this module. */
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

/* Before MPI_Init returns and after MPI_Finalize was called, EZTrace records nothing. */
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
