/** Certificates for tests of TLS. */
package io.volute.testkit.tls;
