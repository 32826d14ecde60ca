#include "api/dashboard/page.h"

namespace jettison {

std::string_view DashboardPage() {
  return "<!doctype html>\n"
         "<html lang=\"en\">\n"
         "<meta charset=\"utf-8\">\n"
         "<title>Jettison</title>\n"
         "<h1>Jettison</h1>\n"
         "<p>This program was built without its dashboard (<code>-DJETTISON_DASHBOARD=OFF</code>). "
         "<code>jettison status</code>, <code>jettison top</code> and the API below "
         "<code>/api/v1/</code> show the same.</p>\n"
         "</html>\n";
}

std::string_view DashboardPolicy() {
  return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

}  // namespace jettison
