#pragma once

namespace jettison {

// Gives back the pages of libraries that were loaded while the program ran (TLS, libcurl) which
// were touched until now, as far as their files hold them. Most were touched by loading alone:
// tables of symbols, self-tests of ciphers, and whole libraries that libcurl brings and nobody uses
// (OpenSSL, Kerberos, LDAP). The others come back from the page cache when they are used. To be
// called when the agent is ready; what the decisions need is not among them. Safe beside other
// threads, and where the memory is locked (Linux 5.18).
void GiveBackLateLibraries();

}  // namespace jettison
