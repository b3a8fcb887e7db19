/**
 * A small HTTP/1.1 client that signs what it sends: it leaves the processor to the server under
 * test. Shared by the load driver and by the benchmarks that go through a server.
 */
package io.volute.benchmarks.http;
