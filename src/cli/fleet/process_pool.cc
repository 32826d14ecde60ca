#include "cli/fleet/process_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cli/terminal/output.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

constexpr std::size_t kWaitingPerJob = 4;

bool SendAll(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool SendNumber(int socket, std::uint64_t number) {
  return SendAll(socket, reinterpret_cast<const char*>(&number), sizeof number);
}

std::optional<std::uint64_t> ReceiveNumber(int socket) {
  std::uint64_t number = 0;
  ssize_t received = 0;
  do {
    received = ::recv(socket, &number, sizeof number, MSG_WAITALL);
  } while (received < 0 && errno == EINTR);
  if (received != static_cast<ssize_t>(sizeof number)) return std::nullopt;
  return number;
}

// A piece's number comes in; the length of its result and the result go out.
void DoPieces(int socket, const std::function<std::string(std::size_t)>& work) {
  while (const auto piece = ReceiveNumber(socket)) {
    const std::string text = work(*piece);
    if (!SendNumber(socket, text.size()) || !SendAll(socket, text.data(), text.size())) break;
  }
}

// What the parent has on its stack is the child's, too. An exception that unwound it would remove
// the files that the parent is writing.
[[noreturn]] void Serve(int socket, const std::function<std::string(std::size_t)>& work) noexcept {
  try {
    DoPieces(socket, work);
  } catch (const std::exception& exception) {
    PrintError("jettison: a process of --jobs ends: {}\n", exception.what());
    ::_exit(1);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

class PoolProcess {
 public:
  PoolProcess(pid_t pid, FileDescriptor socket) : pid_(pid), socket_(std::move(socket)) {}
  PoolProcess(PoolProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        socket_(std::move(other.socket_)),
        piece_(other.piece_),
        received_(std::move(other.received_)) {}
  PoolProcess& operator=(PoolProcess&&) = delete;
  ~PoolProcess() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    (void)Reap();
  }

  // In a child, which is not the parent of the other children.
  void Forget() {
    pid_ = -1;
    socket_.Close();
  }
  [[nodiscard]] int socket() const { return socket_.get(); }
  [[nodiscard]] std::optional<std::size_t> piece() const { return piece_; }

  // A process that is gone is noticed when it is read from.
  void Begin(std::size_t piece) {
    piece_ = piece;
    received_.clear();
    (void)SendNumber(socket_.get(), piece);
  }
  // Takes what has come. A result: the piece is done, or will never be.
  std::optional<PieceResult> Receive() {
    std::array<char, std::size_t{64} << 10> part;
    const ssize_t size = ::recv(socket_.get(), part.data(), part.size(), 0);
    if (size < 0 && errno == EINTR) return std::nullopt;
    if (size <= 0) return PieceResult{.text = "", .death = Reap()};
    received_.append(part.data(), static_cast<std::size_t>(size));
    std::uint64_t length = 0;
    if (received_.size() < sizeof length) return std::nullopt;
    std::memcpy(&length, received_.data(), sizeof length);
    if (received_.size() - sizeof length < length) return std::nullopt;
    return PieceResult{.text = received_.substr(sizeof length), .death = ""};
  }
  void Done() { piece_.reset(); }

 private:
  std::string Reap() {
    int status = 0;
    pid_t waited = 0;
    do {
      waited = ::waitpid(std::exchange(pid_, -1), &status, 0);
    } while (waited < 0 && errno == EINTR);
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      return fmt::format("its process was ended by signal {} ({})", signal, ::strsignal(signal));
    }
    return fmt::format("its process ended with status {}", WEXITSTATUS(status));
  }

  pid_t pid_;
  FileDescriptor socket_;
  std::optional<std::size_t> piece_;  // that it works on
  std::string received_;
};

class Pool {
 public:
  Pool(std::size_t count, std::size_t jobs, const std::function<std::string(std::size_t)>& work,
       const std::function<bool(std::size_t, PieceResult)>& take)
      : count_(count), jobs_(std::clamp<std::size_t>(jobs, 1, count)), work_(work), take_(take) {}

  bool Run() {
    while (taken_ < count_) {
      if (!GiveWork() || !Wait() || !TakeReady()) return false;
    }
    return true;
  }

 private:
  bool Start() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
    FileDescriptor own(ends[0]);
    FileDescriptor its(ends[1]);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return false;
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
      for (PoolProcess& other : processes_) other.Forget();
      own.Close();
      Serve(its.get(), work_);
    }
    processes_.emplace_back(pid, std::move(own));
    return true;
  }

  // Where fewer processes can be had than were asked for, those that run do.
  bool GiveWork() {
    while (next_ < count_ && next_ < taken_ + jobs_ * kWaitingPerJob) {
      auto idle = std::ranges::find_if(processes_, [](const auto& each) { return !each.piece(); });
      if (idle == processes_.end()) {
        if (processes_.size() == jobs_) return true;
        if (!Start()) return !processes_.empty();
        idle = processes_.end() - 1;
      }
      idle->Begin(next_++);
    }
    return true;
  }

  bool Wait() {
    std::vector<pollfd> polled;
    for (const PoolProcess& each : processes_) polled.push_back({each.socket(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) return errno == EINTR;
    std::vector<PoolProcess> left;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      PoolProcess& process = processes_[i];
      bool lives = true;
      if (polled[i].revents != 0) {
        if (auto result = process.Receive()) {
          lives = result->death.empty();
          if (process.piece()) ready_.emplace(*process.piece(), std::move(*result));
          process.Done();
        }
      }
      if (lives) left.push_back(std::move(process));
    }
    processes_.clear();
    for (PoolProcess& process : left) processes_.push_back(std::move(process));
    return true;
  }

  bool TakeReady() {
    for (auto at = ready_.find(taken_); at != ready_.end(); at = ready_.find(taken_)) {
      if (!take_(taken_++, std::move(at->second))) return false;
      ready_.erase(at);
    }
    return true;
  }

  const std::size_t count_;
  const std::size_t jobs_;
  const std::function<std::string(std::size_t)>& work_;
  const std::function<bool(std::size_t, PieceResult)>& take_;
  std::vector<PoolProcess> processes_;
  std::map<std::size_t, PieceResult> ready_;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;
};

// Processors' worth of a quota; absent: there is none.
std::optional<std::size_t> ProcessorsOf(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return static_cast<std::size_t>(std::max(1.0, quota / period + 0.5));
}

std::optional<std::size_t> ProcessorsOfGroup() {
  double quota = 0;
  double period = 0;
  // "max 100000" or "150000 100000"; of the root of what is mounted, as a container sees it.
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period) {
    return ProcessorsOf(quota, period);
  }
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1_quota >> quota && v1_period >> period) return ProcessorsOf(quota, period);
  return std::nullopt;
}

}  // namespace

std::size_t ProcessorsAvailable() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  const auto allowed = static_cast<std::size_t>(known ? CPU_COUNT(&set) : 1);
  return std::max<std::size_t>(1, std::min(allowed, ProcessorsOfGroup().value_or(allowed)));
}

bool DoInProcesses(std::size_t count, std::size_t jobs,
                   const std::function<std::string(std::size_t piece)>& work,
                   const std::function<bool(std::size_t piece, PieceResult)>& take) {
  if (count == 0) return true;
  return Pool(count, jobs, work, take).Run();
}

}  // namespace jettison
