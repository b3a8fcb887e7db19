/** Commands that run, watch and check a server. */
package io.volute.admin.operate;
