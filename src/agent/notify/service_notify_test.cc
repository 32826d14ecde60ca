#include "agent/notify/service_notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/scarcity.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

// An environment variable, until the end of the test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

// The service manager's end of the socket.
class Manager {
 public:
  // `name`: a path, or "@name".
  explicit Manager(std::string_view name)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, address.sun_path);
    const bool abstract = name.starts_with('@');
    if (abstract) address.sun_path[0] = '\0';
    const std::size_t size = offsetof(sockaddr_un, sun_path) + name.size() + (abstract ? 0 : 1);
    bound_ = ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address),
                    static_cast<socklen_t>(size)) == 0;
  }

  [[nodiscard]] bool bound() const { return bound_; }
  // What it has been told next; empty: nothing.
  [[nodiscard]] std::string Take() const {
    std::array<char, 256> text{};
    const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), 0);
    return size < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
  }

 private:
  FileDescriptor socket_;
  bool bound_ = false;
};

// A service manager whose socket lies in a folder, and whose name is in the environment.
class ServiceNotifyOfAFolder : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(manager_.bound()); }

  kernel::TemporaryFolder folder_;
  std::string name_ = folder_.path() + "/notify";
  Manager manager_{name_};
  Variable socket_{"NOTIFY_SOCKET", name_};
};

TEST_F(ServiceNotifyOfAFolder, IsToldOfEachState) {
  const ServiceNotify notify;
  notify.Ready();
  EXPECT_EQ(manager_.Take(), "READY=1");
  notify.Reloading();
  EXPECT_TRUE(manager_.Take().starts_with("RELOADING=1\nMONOTONIC_USEC="));
  notify.Stopping();
  EXPECT_EQ(manager_.Take(), "STOPPING=1");
}

TEST_F(ServiceNotifyOfAFolder, ASocketThatCouldNotBeHadAtFirstIsOpenedLater) {
  const ServiceNotify notify = [] {
    const ScarceDescriptors none;
    return ServiceNotify();
  }();
  notify.Ready();
  EXPECT_EQ(manager_.Take(), "READY=1");
}

TEST(ServiceNotify, TellsASocketOfTheAbstractNamespace) {
  const std::string name = "@jettison-notify-" + std::to_string(::getpid());
  const Manager manager(name);
  ASSERT_TRUE(manager.bound());
  const Variable socket("NOTIFY_SOCKET", name);
  const ServiceNotify notify;
  notify.Alive();
  EXPECT_EQ(manager.Take(), "WATCHDOG=1");
}

TEST(ServiceNotify, WithoutAServiceManagerNothingIsTold) {
  ::unsetenv("NOTIFY_SOCKET");
  const ServiceNotify notify;
  notify.Ready();
  EXPECT_FALSE(notify.alive_every());
}

TEST(ServiceNotify, ASignOfLifeIsGivenTwiceAsOftenAsItIsExpected) {
  const Variable time("WATCHDOG_USEC", "30000000");
  EXPECT_EQ(ServiceNotify().alive_every(), std::chrono::seconds(15));
  const Variable own("WATCHDOG_PID", std::to_string(::getpid()));
  EXPECT_EQ(ServiceNotify().alive_every(), std::chrono::seconds(15));
}

TEST(ServiceNotify, TheWatchdogOfAnotherProcessIsNotOurs) {
  const Variable time("WATCHDOG_USEC", "30000000");
  const Variable other("WATCHDOG_PID", std::to_string(::getppid()));
  EXPECT_FALSE(ServiceNotify().alive_every());
}

TEST(ServiceNotify, AWatchdogThatCannotBeReadIsNone) {
  for (const char* time : {"", "0", "soon", "30s", "-1", "18446744073709551615"}) {
    const Variable wrong("WATCHDOG_USEC", time);
    EXPECT_FALSE(ServiceNotify().alive_every()) << time;
  }
}

}  // namespace
}  // namespace jettison
