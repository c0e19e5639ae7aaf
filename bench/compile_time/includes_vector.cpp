// What the user's file is compared with: a file that does nothing but include one header of the standard library.
#include <vector>
