#include "runtimes/cri/containers/systemd_slices.h"

#include <fmt/format.h>
#include <systemd/sd-bus.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/system_error.h"

namespace jettison::cri {
namespace {

constexpr const char* kManager = "org.freedesktop.systemd1";
constexpr const char* kObject = "/org/freedesktop/systemd1";
constexpr const char* kInterface = "org.freedesktop.systemd1.Manager";
constexpr std::string_view kUnitExists = "org.freedesktop.systemd1.UnitExists";
constexpr std::string_view kNoSuchUnit = "org.freedesktop.systemd1.NoSuchUnit";
constexpr std::uint64_t kInfinity = std::numeric_limits<std::uint64_t>::max();

// What a call has come to; `code`: 0 or more, or minus an errno. kInvalidArgument: the unit exists.
Result<void> OutcomeOf(int code, const sd_bus_error& error, const std::string& what) {
  const std::string_view name = error.name == nullptr ? "" : error.name;
  if (code >= 0 || name == kNoSuchUnit) return {};
  if (code == -ETIMEDOUT) {
    return Fail(ErrorCode::kDeadlineExceeded, what + ": systemd does not answer");
  }
  if (error.message == nullptr) return Fail(SystemError(-code, what));
  return Fail(name == kUnitExists ? ErrorCode::kInvalidArgument : ErrorCode::kInternal,
              fmt::format("{}: {}", what, error.message));
}

// Waits until the manager has accepted the connection. Returns what is left for a call in
// microseconds, or minus an errno. (sd_bus_call(3) waits for it without regard to its timeout.)
std::int64_t AwaitReady(sd_bus* bus, Slices::Deadline by) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(by - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) return -ETIMEDOUT;
    if (const int ready = sd_bus_is_ready(bus); ready != 0) return ready < 0 ? ready : left;
    int code = sd_bus_process(bus, nullptr);
    if (code == 0) code = sd_bus_wait(bus, static_cast<std::uint64_t>(left));
    if (code < 0) return code;
  }
}

// Calls a method of systemd's manager. `what`: for errors; `types` and `arguments`: see
// sd_bus_message_append(3).
template <typename... Arguments>
Result<void> Ask(const std::string& address, Slices::Deadline by, const char* method,
                 const std::string& what, const char* types, Arguments... arguments) {
  sd_bus* bus = nullptr;
  sd_bus_error error{};
  int code = sd_bus_new(&bus);
  if (code >= 0) code = sd_bus_set_address(bus, address.c_str());
  if (code >= 0) code = sd_bus_start(bus);
  const std::int64_t left = code >= 0 ? AwaitReady(bus, by) : code;
  code = left < 0 ? static_cast<int>(left)
                  : sd_bus_set_method_call_timeout(bus, static_cast<std::uint64_t>(left));
  if (code >= 0) {
    code = sd_bus_call_method(bus, kManager, kObject, kInterface, method, &error, nullptr, types,
                              arguments...);
  }
  auto outcome = OutcomeOf(code, error, what);
  sd_bus_error_free(&error);
  sd_bus_close_unref(bus);
  return outcome;
}

// CPU time a second, in microseconds.
std::uint64_t MicrosecondsPerSecond(std::int64_t quota_us, std::uint64_t period_us) {
  constexpr std::uint64_t kSecond = 1'000'000;
  return static_cast<std::uint64_t>(quota_us) * kSecond / period_us;
}

class SystemdSlices : public Slices {
 public:
  explicit SystemdSlices(std::string address) : address_(std::move(address)) {}
  [[nodiscard]] Result<void> Start(const std::string& slice, const CgroupLimits& limits,
                                   Deadline by) const override {
    constexpr std::uint64_t kUsualPeriod = 100'000;
    const bool has_quota = limits.cpu_quota_us.value_or(-1) > 0;
    const std::uint64_t memory = limits.memory_bytes.value_or(kInfinity);
    const std::uint64_t weight =
        limits.cpu_shares ? kernel::CpuWeight(*limits.cpu_shares) : kInfinity;
    const std::uint64_t period = limits.cpu_period_us.value_or(kUsualPeriod);
    const std::uint64_t quota =
        has_quota ? MicrosecondsPerSecond(*limits.cpu_quota_us, period) : kInfinity;
    const std::uint64_t tasks =
        limits.pids_max.value_or(-1) > 0 ? static_cast<std::uint64_t>(*limits.pids_max) : kInfinity;
    // Both methods take the properties that limit a slice. (systemd.resource-control(5)) The first
    // takes a list of other units in addition, which is empty.
    const auto ask = [&](const char* method, const char* verb, const char* types, auto mode) {
      return Ask(address_, by, method, verb + slice, types, slice.c_str(), mode, 5, "MemoryMax",
                 "t", memory, "CPUWeight", "t", weight, "CPUQuotaPerSecUSec", "t", quota,
                 "CPUQuotaPeriodUSec", "t", has_quota ? period : kInfinity, "TasksMax", "t", tasks,
                 0);
    };
    const auto started = ask("StartTransientUnit", "start ", "ssa(sv)a(sa(sv))", "replace");
    const bool exists = !started && started.error().code == ErrorCode::kInvalidArgument;
    constexpr int kUntilReboot = 1;
    return exists ? ask("SetUnitProperties", "limit ", "sba(sv)", kUntilReboot) : started;
  }
  [[nodiscard]] Result<void> Stop(const std::string& slice, Deadline by) const override {
    return Ask(address_, by, "StopUnit", "stop " + slice, "ss", slice.c_str(), "replace");
  }

 private:
  std::string address_;
};

}  // namespace

std::shared_ptr<const Slices> SlicesOfSystemd(std::string address) {
  return std::make_shared<const SystemdSlices>(std::move(address));
}

}  // namespace jettison::cri
