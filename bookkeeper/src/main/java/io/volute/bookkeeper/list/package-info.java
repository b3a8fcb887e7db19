/** The content of a segment list in Apache ZooKeeper. */
package io.volute.bookkeeper.list;
