/** Where copies of checkpoints are put that are not files: buckets, here and elsewhere. */
package io.volute.server.deposit;
