#include "runtimes/cri/host/bus_library.h"

#include <fmt/format.h>

#include "ports/late_library.h"

namespace jettison::cri {
namespace {

bool FindAll(const LateLibrary& library, BusLibrary& bus) {
  return library.Find("sd_bus_new", bus.make) &&
         library.Find("sd_bus_set_address", bus.set_address) &&
         library.Find("sd_bus_start", bus.start) && library.Find("sd_bus_get_fd", bus.get_fd) &&
         library.Find("sd_bus_process", bus.process) &&
         library.Find("sd_bus_call_async", bus.call_async) &&
         library.Find("sd_bus_close_unref", bus.close_unref) &&
         library.Find("sd_bus_message_new_method_call", bus.message_new_method_call) &&
         library.Find("sd_bus_message_append", bus.message_append) &&
         library.Find("sd_bus_message_open_container", bus.message_open_container) &&
         library.Find("sd_bus_message_close_container", bus.message_close_container) &&
         library.Find("sd_bus_message_get_error", bus.message_get_error) &&
         library.Find("sd_bus_message_unref", bus.message_unref);
}

Result<BusLibrary> Loaded() {
  const auto library = LateLibrary::Load({"libsystemd.so.0"});
  BusLibrary bus;
  if (library && FindAll(*library, bus)) return bus;
  return Fail(ErrorCode::kUnavailable,
              fmt::format("talking to systemd needs libsystemd, which cannot be loaded ({}); "
                          "Debian: apt-get install libsystemd0",
                          library ? "it is too old" : library.error().message));
}

}  // namespace

Result<const BusLibrary*> LoadBus() {
  static const Result<BusLibrary> kLibrary = Loaded();
  if (!kLibrary) return Fail(kLibrary.error());
  return &*kLibrary;
}

}  // namespace jettison::cri
