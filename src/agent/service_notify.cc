#include "agent/service_notify.h"

#include <systemd/sd-daemon.h>

namespace jettison {

void NotifyReady() {
  sd_notify(0, "READY=1");
}

void NotifyStopping() {
  sd_notify(0, "STOPPING=1");
}

}  // namespace jettison
