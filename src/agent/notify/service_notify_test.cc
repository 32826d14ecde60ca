#include "agent/notify/service_notify.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

#include "kernel/files/testing/temporary_folder.h"
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

TEST(ServiceNotify, TellsEachState) {
  const kernel::TemporaryFolder folder;
  const std::string name = folder.path() + "/notify";
  const FileDescriptor manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path);
  ASSERT_EQ(::bind(manager.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const Variable socket("NOTIFY_SOCKET", name);
  const auto take = [&] {
    std::array<char, 256> text{};
    const ssize_t size = ::recv(manager.get(), text.data(), text.size(), 0);
    return size < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
  };
  const ServiceNotify notify;
  notify.Ready();
  EXPECT_EQ(take(), "READY=1");
  notify.Reloading();
  EXPECT_TRUE(take().starts_with("RELOADING=1\nMONOTONIC_USEC="));
  notify.Stopping();
  EXPECT_EQ(take(), "STOPPING=1");
  notify.Alive();
  EXPECT_EQ(take(), "WATCHDOG=1");
}

TEST(ServiceNotify, ASignOfLifeIsGivenTwiceAsOftenAsItIsExpected) {
  const Variable time("WATCHDOG_USEC", "30000000");
  const ServiceNotify without_socket;
  without_socket.Ready();  // nobody is told
  EXPECT_EQ(without_socket.alive_every(), std::chrono::seconds(15));
  const Variable other("WATCHDOG_PID", std::to_string(::getppid()));
  EXPECT_FALSE(ServiceNotify().alive_every()) << "the watchdog of another process";
}

}  // namespace
}  // namespace jettison
