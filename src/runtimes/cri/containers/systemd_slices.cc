#include "runtimes/cri/containers/systemd_slices.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/system_error.h"

namespace jettison::cri {
namespace {

constexpr const char* kSocket = "unix:path=/run/systemd/private";
constexpr const char* kManager = "org.freedesktop.systemd1";
constexpr const char* kObject = "/org/freedesktop/systemd1";
constexpr const char* kInterface = "org.freedesktop.systemd1.Manager";
constexpr std::string_view kUnitExists = "org.freedesktop.systemd1.UnitExists";
constexpr std::string_view kNoSuchUnit = "org.freedesktop.systemd1.NoSuchUnit";
constexpr Duration kPatience = std::chrono::seconds(5);

struct Unref {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Bus = std::unique_ptr<sd_bus, Unref>;
using Message = std::unique_ptr<sd_bus_message, Unref>;

// Runs steps until the first error; the steps after it are skipped.
class Steps {
 public:
  template <typename Step>
  Steps& Then(Step step) {
    if (code_ >= 0) code_ = step();
    return *this;
  }
  [[nodiscard]] int error() const { return code_ < 0 ? -code_ : 0; }

 private:
  int code_ = 0;
};

int AppendNumber(sd_bus_message* message, const char* property, std::uint64_t value) {
  return sd_bus_message_append(message, "(sv)", property, "t", value);
}

// A quota in a period as CPU time a second, in microseconds.
std::uint64_t MicrosecondsPerSecond(std::int64_t quota_us, std::uint64_t period_us) {
  constexpr std::uint64_t kSecond = 1'000'000;
  return static_cast<std::uint64_t>(quota_us) * kSecond / period_us;
}

// Resources without a limit are left out. (systemd.resource-control(5))
int AppendLimits(sd_bus_message* message, const CgroupLimits& limits) {
  constexpr std::uint64_t kUsualPeriod = 100'000;
  Steps steps;
  steps.Then([&] { return sd_bus_message_open_container(message, 'a', "(sv)"); });
  if (limits.memory_bytes) {
    steps.Then([&] { return AppendNumber(message, "MemoryMax", *limits.memory_bytes); });
  }
  if (limits.cpu_shares) {
    const std::uint64_t weight = kernel::CpuWeight(*limits.cpu_shares);
    steps.Then([&] { return AppendNumber(message, "CPUWeight", weight); });
  }
  if (limits.cpu_quota_us && *limits.cpu_quota_us > 0) {
    const std::uint64_t period = limits.cpu_period_us.value_or(kUsualPeriod);
    const std::uint64_t quota = MicrosecondsPerSecond(*limits.cpu_quota_us, period);
    steps.Then([&] { return AppendNumber(message, "CPUQuotaPerSecUSec", quota); });
    steps.Then([&] { return AppendNumber(message, "CPUQuotaPeriodUSec", period); });
  }
  if (limits.pids_max && *limits.pids_max > 0) {
    const auto tasks = static_cast<std::uint64_t>(*limits.pids_max);
    steps.Then([&] { return AppendNumber(message, "TasksMax", tasks); });
  }
  steps.Then([&] { return sd_bus_message_close_container(message); });
  return -steps.error();
}

}  // namespace

// A call to systemd's manager.
struct SystemdSlices::Question {
  const char* method;
  std::string what;  // for errors: "stop kubepods-podu.slice"
  // Appends the arguments; 0 or more, or minus an errno.
  std::function<int(sd_bus_message*)> arguments;
  std::string_view forgiven = {};  // the name of an error that stands for success
};

// A connection and the one call that is made over it.
class SystemdSlices::Request {
 public:
  explicit Request(const Question& question) : what_(question.what), forgiven_(question.forgiven) {}

  // `answered` is called from Dispatch, unless this fails; it may destroy the request.
  [[nodiscard]] Result<void> Send(kernel::Readiness& readiness, const Question& question,
                                  Done answered);

 private:
  static int OnReply(sd_bus_message* reply, void* request, sd_bus_error* error);
  void Process();
  void Finish(const Result<void>& outcome);

  std::string what_;
  std::string_view forgiven_;
  Bus bus_;
  std::optional<Result<void>> outcome_;
  Done answered_;
  kernel::Readiness::Watch on_readable_;
  kernel::Readiness::Watch on_patience_;
};

Result<void> SystemdSlices::Request::Send(kernel::Readiness& readiness, const Question& question,
                                          Done answered) {
  answered_ = std::move(answered);
  sd_bus* bus = nullptr;
  sd_bus_message* made = nullptr;
  Steps steps;
  steps.Then([&] { return sd_bus_new(&bus); });
  bus_.reset(bus);
  steps.Then([&] { return sd_bus_set_address(bus, kSocket); })
      .Then([&] { return sd_bus_start(bus); })
      .Then([&] {
        return sd_bus_message_new_method_call(bus, &made, kManager, kObject, kInterface,
                                              question.method);
      });
  const Message message(made);
  steps.Then([&] { return question.arguments(made); }).Then([&] {
    return sd_bus_call_async(bus, nullptr, made, OnReply, this, 0);
  });
  if (steps.error() != 0) return Fail(SystemError(steps.error(), what_));
  on_readable_ = readiness.OnReadable(sd_bus_get_fd(bus), [this] { Process(); });
  on_patience_ = readiness.After(kPatience, [this] {
    Finish(Fail(ErrorCode::kDeadlineExceeded, what_ + ": systemd does not answer"));
  });
  return {};
}

int SystemdSlices::Request::OnReply(sd_bus_message* reply, void* request, sd_bus_error*) {
  auto& self = *static_cast<Request*>(request);
  const sd_bus_error* const error = sd_bus_message_get_error(reply);
  self.outcome_ = Result<void>();
  if (error != nullptr && error->name != self.forgiven_) {
    const auto code =
        error->name == kUnitExists ? ErrorCode::kInvalidArgument : ErrorCode::kInternal;
    const std::string_view why = error->message != nullptr ? error->message : error->name;
    self.outcome_ = Fail(code, fmt::format("{}: {}", self.what_, why));
  }
  return 1;
}

void SystemdSlices::Request::Process() {
  int done = 1;
  while (done > 0 && !outcome_) done = sd_bus_process(bus_.get(), nullptr);
  if (outcome_) return Finish(*std::exchange(outcome_, std::nullopt));
  if (done < 0) Finish(Fail(SystemError(-done, what_)));
}

void SystemdSlices::Request::Finish(const Result<void>& outcome) {
  on_readable_.Stop();
  on_patience_.Stop();
  const Done answered = std::move(answered_);
  answered(outcome);
}

SystemdSlices::SystemdSlices(kernel::Readiness& readiness) : readiness_(readiness) {}

SystemdSlices::~SystemdSlices() = default;

void SystemdSlices::Ask(const Question& question, const Done& done) {
  const std::uint64_t id = next_++;
  Request& request = *(requests_[id] = std::make_unique<Request>(question));
  const auto sent =
      request.Send(readiness_, question, [this, id, done](const Result<void>& outcome) {
        const auto asked = requests_.extract(id);
        done(outcome);
      });
  if (sent) return;
  requests_.erase(id);
  done(sent);
}

void SystemdSlices::Start(const std::string& slice, const CgroupLimits& limits, Done done) {
  const auto arguments = [&](sd_bus_message* message) {
    return -Steps()
                .Then(
                    [&] { return sd_bus_message_append(message, "ss", slice.c_str(), "replace"); })
                .Then([&] { return AppendLimits(message, limits); })
                .Then([&] { return sd_bus_message_append(message, "a(sa(sv))", 0); })
                .error();
  };
  Ask({.method = "StartTransientUnit", .what = "start " + slice, .arguments = arguments},
      [this, slice, limits, done = std::move(done)](const Result<void>& started) {
        const bool exists = !started && started.error().code == ErrorCode::kInvalidArgument;
        if (exists) return SetLimits(slice, limits, done);
        done(started);
      });
}

void SystemdSlices::SetLimits(const std::string& slice, const CgroupLimits& limits, Done done) {
  constexpr int kUntilReboot = 1;
  const auto arguments = [&](sd_bus_message* message) {
    return -Steps()
                .Then([&] {
                  return sd_bus_message_append(message, "sb", slice.c_str(), kUntilReboot);
                })
                .Then([&] { return AppendLimits(message, limits); })
                .error();
  };
  Ask({.method = "SetUnitProperties", .what = "limit " + slice, .arguments = arguments},
      std::move(done));
}

void SystemdSlices::Stop(const std::string& slice, Done done) {
  const auto arguments = [&](sd_bus_message* message) {
    return sd_bus_message_append(message, "ss", slice.c_str(), "replace");
  };
  Ask({.method = "StopUnit",
       .what = "stop " + slice,
       .arguments = arguments,
       .forgiven = kNoSuchUnit},
      std::move(done));
}

}  // namespace jettison::cri
