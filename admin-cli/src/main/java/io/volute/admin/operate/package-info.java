/** Commands that run, watch and check a server, and keep the profiles of servers. */
package io.volute.admin.operate;
