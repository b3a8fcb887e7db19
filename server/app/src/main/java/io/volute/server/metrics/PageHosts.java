package io.volute.server.metrics;

import io.volute.server.config.ServerConfig.MetricsListener;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The hosts under which browsers may read metrics. A page of another site can point its own name at
 * the address of this listener (DNS rebinding), and then reads the answers as its own. The browser
 * still sends that name as {@code Host}. IP addresses, {@code localhost} and configured names
 * cannot be the name of such a site. Immutable.
 */
final class PageHosts {
    private static final String NUMBER = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern ADDRESS =
            Pattern.compile(
                    "(?:" + NUMBER + "\\.){3}" + NUMBER + "|\\[[0-9a-f]*:[0-9a-f:.]{1,44}\\]");
    private static final Pattern HOST =
            Pattern.compile("(?<name>\\[[^\\]]*\\]|[^:\\[\\]]+)(?::[0-9]{0,5})?");

    private final Set<String> names;

    PageHosts(MetricsListener listener) {
        Set<String> all = new HashSet<>(listener.hosts());
        all.add("localhost");
        listener.listen()
                .ifPresent(address -> all.add(address.getHostString().toLowerCase(Locale.ROOT)));
        names = Set.copyOf(all);
    }

    /**
     * Returns whether a request may be answered.
     *
     * @param header the {@code Host} header with its port; empty in HTTP/1.0, which no browser
     *     sends
     */
    boolean serve(Optional<String> header) {
        if (header.isEmpty()) {
            return true;
        }
        Matcher host = HOST.matcher(header.get().toLowerCase(Locale.ROOT));
        if (!host.matches()) {
            return false;
        }
        String name = host.group("name");
        return names.contains(name) || ADDRESS.matcher(name).matches();
    }
}
