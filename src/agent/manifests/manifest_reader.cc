#include "agent/manifests/manifest_reader.h"

#include <sys/epoll.h>

#include <array>
#include <utility>

#include "ports/file_descriptor.h"
#include "ports/mailbox.h"
#include "ports/system_error.h"

namespace jettison {

struct ManifestReader::Work {
  Work(ManifestDirectory manifests, const SteadyClock& now)
      : clock(now), directory(std::move(manifests)) {
    Watch(scans.fd(), EPOLLIN);
  }

  SteadyClock clock;
  Mailbox<ManifestScan> scans;
  // Readable when there are scans, and once after each change.
  FileDescriptor ready{epoll_create1(EPOLL_CLOEXEC)};
  // Used by the jobs:
  ManifestDirectory directory;
  int watched = -1;  // the descriptor of the directory in `ready`

  void Watch(int fd, std::uint32_t events) const {
    epoll_event event{.events = events, .data = {.fd = fd}};
    (void)::epoll_ctl(ready.get(), EPOLL_CTL_ADD, fd, &event);
  }

  void Look(const std::vector<std::string>& expect) {
    const Instant began = clock.Now();
    directory.Expect(expect);
    auto changes = directory.Look();
    if (directory.fd() != std::exchange(watched, directory.fd())) Watch(watched, EPOLLIN | EPOLLET);
    ManifestScan scan{.began = began,
                      .listed = directory.listed(),
                      .watched = ready ? directory.watched() : FailErrno("epoll_create1"),
                      .unsettled = directory.AnyUnsettled(),
                      .news = {}};
    for (ManifestChange& change : changes) scan.news.push_back(ReadChange(std::move(change)));
    scans.Put(std::move(scan));
  }
};

ManifestReader::ManifestReader(ManifestDirectory directory, const SteadyClock& clock)
    : work_(std::make_shared<Work>(std::move(directory), clock)) {}

void ManifestReader::Look(std::vector<std::string> expect) {
  jobs_.Do([work = work_, expect = std::move(expect)] { work->Look(expect); });
}

int ManifestReader::fd() const {
  return work_->ready.get();
}

// Where nothing can be watched, everything is looked at again from time to time all the same.
std::vector<ManifestScan> ManifestReader::TakeScans() {
  std::array<epoll_event, 2> events{};
  const int count = ::epoll_wait(work_->ready.get(), events.data(), 2, 0);
  for (int i = 0; i < count; ++i) {
    if (events.at(static_cast<std::size_t>(i)).data.fd == work_->scans.fd()) continue;
    Look();
  }
  return work_->scans.TakeAll();
}

}  // namespace jettison
