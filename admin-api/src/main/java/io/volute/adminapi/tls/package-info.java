/** The certificates that clients trust in TLS. */
package io.volute.adminapi.tls;
