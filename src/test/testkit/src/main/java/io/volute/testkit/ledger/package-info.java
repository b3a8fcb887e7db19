/** The knowledge of the clients of a killed server, kept outside of its process. */
package io.volute.testkit.ledger;
