// The system's SQLite.
#include <sqlite3.h>
#include "../shim.h"
