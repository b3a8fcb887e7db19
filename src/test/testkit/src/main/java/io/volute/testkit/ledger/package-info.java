/** What clients of a server that is killed know, kept outside of it. */
package io.volute.testkit.ledger;
