#include "agent/manifests/manifest_reader.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/loop/mailbox.h"
#include "ports/signals_blocked.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr auto kEndPatience = std::chrono::seconds(1);
// The interval of looks if there is no descriptor that could wake the thread.
constexpr int kWithoutWakeMs = 1000;
// The intervals in which a file that has a writer is looked at again. At first it is most likely
// one whose writer has just closed it.
constexpr int kFirstPauseMs = 10;
constexpr int kLongestPauseMs = 1000;

}  // namespace

struct ManifestReader::Work {
  Work(ManifestDirectory manifests, const SteadyClock& now)
      : directory(std::move(manifests)), clock(now) {}

  ManifestDirectory directory;  // used by the thread, once it runs
  SteadyClock clock;
  Mailbox<ManifestScan> scans;
  FileDescriptor wake{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex;
  std::condition_variable end;
  std::vector<std::string> expected;  // guarded by mutex, as the rest
  bool rescan = false;
  bool stop = false;
  bool ended = false;
  int pause_ms = kFirstPauseMs;  // used by the thread

  void Put(Instant began, bool whole, std::vector<ManifestChange> changes) {
    ManifestScan scan{.began = began,
                      .whole = whole,
                      .listed = directory.listed(),
                      .watched = directory.watched(),
                      .news = {}};
    for (ManifestChange& change : changes) scan.news.push_back(ReadChange(std::move(change)));
    scans.Put(std::move(scan));
  }

  void LookThroughAll(const std::vector<std::string>& expect) {
    const Instant began = clock.Now();
    directory.Expect(expect);
    auto changes = directory.Rescan();
    Put(began, directory.listed(), std::move(changes));
  }

  // How long to wait for news; -1: for ever.
  [[nodiscard]] int Wait() const {
    if (directory.AnyHasWriter()) return pause_ms;
    return wake ? -1 : kWithoutWakeMs;
  }

  void LookAtChanges(bool told_by_kernel) {
    const Instant began = clock.Now();
    if (told_by_kernel) Put(began, false, directory.TakeChanges());
    if (told_by_kernel || !directory.AnyHasWriter()) return;
    auto changes = directory.LookAgain();
    if (!changes.empty()) Put(began, false, std::move(changes));
    pause_ms = directory.AnyHasWriter() ? std::min(2 * pause_ms, kLongestPauseMs) : kFirstPauseMs;
  }

  void Run() {
    bool begun = false;
    for (;;) {
      pollfd fds[] = {{.fd = wake.get(), .events = POLLIN, .revents = 0},
                      {.fd = begun ? directory.fd() : -1, .events = POLLIN, .revents = 0}};
      (void)::poll(fds, 2, Wait());
      eventfd_t count = 0;
      eventfd_read(wake.get(), &count);
      std::unique_lock lock(mutex);
      if (stop) break;
      const auto expect = std::exchange(expected, {});
      const bool all = std::exchange(rescan, false);
      lock.unlock();
      begun = begun || all;
      if (all) {
        LookThroughAll(expect);
      } else {
        LookAtChanges(fds[1].revents != 0);
      }
    }
    const std::lock_guard lock(mutex);
    ended = true;
    end.notify_all();
  }
};

ManifestReader::ManifestReader(ManifestDirectory directory, const SteadyClock& clock)
    : work_(std::make_shared<Work>(std::move(directory), clock)) {
  const SignalsBlocked blocked;
  try {
    std::thread thread([work = work_] { work->Run(); });
    pthread_setname_np(thread.native_handle(), "manifests");
    thread.detach();
  } catch (const std::system_error& error) {
    thread_ = Fail(SystemError(error.code().value(), "start the thread that reads manifests"));
  }
}

ManifestReader::~ManifestReader() {
  std::unique_lock lock(work_->mutex);
  work_->stop = true;
  eventfd_write(work_->wake.get(), 1);
  if (thread_) work_->end.wait_for(lock, kEndPatience, [this] { return work_->ended; });
}

void ManifestReader::Expect(std::vector<std::string> files) {
  const std::lock_guard lock(work_->mutex);
  work_->expected = std::move(files);
}

void ManifestReader::Rescan() {
  std::unique_lock lock(work_->mutex);
  if (!thread_) return work_->LookThroughAll(std::exchange(work_->expected, {}));
  work_->rescan = true;
  eventfd_write(work_->wake.get(), 1);
}

int ManifestReader::fd() const {
  return work_->scans.fd();
}

std::vector<ManifestScan> ManifestReader::TakeScans() {
  return work_->scans.TakeAll();
}

}  // namespace jettison
