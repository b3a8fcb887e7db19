/** Tests with logs on real ZooKeeper and bookie processes. */
package io.volute.system.bookkeeper;
