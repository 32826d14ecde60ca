// usage: measure_oomd_manager GROUP
//
// Stands in for systemd where systemd-oomd is measured without it: tells it, as the service manager
// would, that it is to watch the memory pressure of GROUP ("/race") and end one of the groups below
// when tasks wait for more than a twentieth of the time. Serves one connection, then waits to be
// ended. The exchange: src/oom/oomd-manager.c and Documentation of Varlink; a message ends with a
// NUL.

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

constexpr const char* kAddress = "/run/systemd/io.system.ManagedOOM";
constexpr const char* kLimit = "214748364";  // 5% of 2^32 - 1, as systemd scales it

// Up to the end of the request, which says nothing that matters here.
bool AwaitRequest(int client) {
  char byte = 1;
  while (byte != 0) {
    if (::read(client, &byte, 1) != 1) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: measure_oomd_manager GROUP\n");
    return 2;
  }
  const std::string reply = std::string(R"({"parameters":{"cgroups":[{"mode":"kill","path":")") +
                            argv[1] + R"(","property":"ManagedOOMMemoryPressure","limit":)" +
                            kLimit + R"(}]},"continues":true})";
  (void)::mkdir("/run/systemd", 0755);
  (void)::unlink(kAddress);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, kAddress, sizeof(address.sun_path) - 1);
  const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(server, 1) != 0) {
    std::perror(kAddress);
    return 1;
  }
  const int client = ::accept(server, nullptr, nullptr);
  if (client < 0 || !AwaitRequest(client)) return 1;
  if (::write(client, reply.c_str(), reply.size() + 1) < 0) return 1;
  for (;;) ::pause();
}
