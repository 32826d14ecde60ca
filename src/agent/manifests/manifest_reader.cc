#include "agent/manifests/manifest_reader.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "ports/file_descriptor.h"
#include "ports/mailbox.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;

// The intervals in which a file that has a writer is looked at again. At first it is most likely
// one whose writer has just closed it.
constexpr milliseconds kFirstPause{10};
constexpr milliseconds kLongestPause{1000};

}  // namespace

struct ManifestReader::Work {
  Work(ManifestDirectory manifests, const SteadyClock& now)
      : clock(now), directory(std::move(manifests)) {
    Watch(scans.fd(), EPOLLIN);
    Watch(timer.get(), EPOLLIN);
  }

  SteadyClock clock;
  Mailbox<ManifestScan> scans;
  FileDescriptor timer{timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
  // Readable when there are scans, when the timer is up, and once after each change.
  FileDescriptor ready{epoll_create1(EPOLL_CLOEXEC)};
  // Used by the jobs:
  ManifestDirectory directory;
  int watched = -1;  // the descriptor of the directory in `ready`
  milliseconds pause = kFirstPause;

  void Watch(int fd, std::uint32_t events) const {
    epoll_event event{.events = events, .data = {.fd = fd}};
    (void)::epoll_ctl(ready.get(), EPOLL_CTL_ADD, fd, &event);
  }

  void Put(Instant began, bool whole, std::vector<ManifestChange> changes) {
    ManifestScan scan{.began = began,
                      .whole = whole,
                      .listed = directory.listed(),
                      .watched = ready ? directory.watched() : FailErrno("epoll_create1"),
                      .news = {}};
    for (ManifestChange& change : changes) scan.news.push_back(ReadChange(std::move(change)));
    scans.Put(std::move(scan));
    LookLater(kFirstPause);
  }

  void LookLater(milliseconds after) {
    if (!directory.AnyHasWriter()) return;
    pause = after;
    const auto whole = std::chrono::floor<std::chrono::seconds>(pause);
    const itimerspec in = {
        .it_interval = {},
        .it_value = {.tv_sec = whole.count(),
                     .tv_nsec = std::chrono::nanoseconds(pause - whole).count()}};
    (void)::timerfd_settime(timer.get(), 0, &in, nullptr);
  }

  void LookThroughAll(const std::vector<std::string>& expect) {
    const Instant began = clock.Now();
    directory.Expect(expect);
    auto changes = directory.Rescan();
    if (directory.fd() != std::exchange(watched, directory.fd())) Watch(watched, EPOLLIN | EPOLLET);
    Put(began, directory.listed(), std::move(changes));
  }

  void LookAtChanges() {
    const Instant began = clock.Now();
    Put(began, false, directory.TakeChanges());
  }

  void LookAgain() {
    const Instant began = clock.Now();
    auto changes = directory.LookAgain();
    if (!changes.empty()) return Put(began, false, std::move(changes));
    LookLater(std::min(2 * pause, kLongestPause));
  }
};

ManifestReader::ManifestReader(ManifestDirectory directory, const SteadyClock& clock)
    : work_(std::make_shared<Work>(std::move(directory), clock)) {}

void ManifestReader::Rescan(std::vector<std::string> expect) {
  jobs_.Do([work = work_, expect = std::move(expect)] { work->LookThroughAll(expect); });
}

int ManifestReader::fd() const {
  return work_->ready.get();
}

// Where nothing can be watched, everything is looked at again from time to time all the same.
std::vector<ManifestScan> ManifestReader::TakeScans() {
  std::array<epoll_event, 3> events{};
  const int count = ::epoll_wait(work_->ready.get(), events.data(), 3, 0);
  for (int i = 0; i < count; ++i) {
    const int fd = events.at(static_cast<std::size_t>(i)).data.fd;
    if (fd == work_->scans.fd()) continue;
    if (fd != work_->timer.get()) {
      jobs_.Do([work = work_] { work->LookAtChanges(); });
      continue;
    }
    std::uint64_t expirations = 0;
    if (::read(fd, &expirations, sizeof expirations) < 0) continue;
    jobs_.Do([work = work_] { work->LookAgain(); });
  }
  return work_->scans.TakeAll();
}

}  // namespace jettison
