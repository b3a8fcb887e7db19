/** Keys: signing and verifying, the list of public keys, private keys kept under a master key. */
package io.volute.provenance.keys;
