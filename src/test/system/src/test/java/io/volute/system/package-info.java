/** Tests of the real server process, over the network, with the clients that people use. */
package io.volute.system;
