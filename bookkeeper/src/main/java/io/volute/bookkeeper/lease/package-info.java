/** Leases by monotonic clocks: how long an owner has one, and when that of another has ended. */
package io.volute.bookkeeper.lease;
