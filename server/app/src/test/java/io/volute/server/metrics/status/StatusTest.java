package io.volute.server.metrics.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Tests that the page shows the present values of the metrics, and their development. */
class StatusTest {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Gauge state = gauge("volute_cube_state", "cube", "state");
    private final Gauge capacity = gauge("volute_store_capacity_bytes");
    private final Gauge live = gauge("volute_space_live_bytes", "cube");
    private final Gauge free = gauge("volute_store_client_free_bytes");
    private final Counter requests = counter("volute_requests_total", "operation", "status");
    private final Counter users = counter("volute_user_requests_total", "user");
    private final Gauge damaged = gauge("volute_damaged_states");
    private final Gauge unnamed = gauge("volute_damages_unnamed");
    private final Histogram firstByte =
            Histogram.builder()
                    .name("volute_request_first_byte_seconds")
                    .labelNames("operation")
                    .withoutExemplars()
                    .classicOnly()
                    .classicUpperBounds(0.01, 0.02, 0.1)
                    .register(registry);
    private Instant now = START;
    private final Status status = new Status(registry::scrape, () -> now);

    private Gauge gauge(String name, String... labels) {
        return Gauge.builder().name(name).labelNames(labels).withoutExemplars().register(registry);
    }

    private Counter counter(String name, String... labels) {
        return Counter.builder()
                .name(name)
                .labelNames(labels)
                .withoutExemplars()
                .register(registry);
    }

    private void passes(int seconds) {
        now = now.plus(Duration.ofSeconds(seconds));
        status.look();
    }

    /** The page, which is XML as well. */
    private Document page() throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        String page = new String(status.page(), StandardCharsets.UTF_8);
        assertThat(page)
                .startsWith("<!DOCTYPE html>")
                // In HTML other elements would not end there.
                .doesNotContainPattern("<(?!meta |line |polyline )[^>]*/>");
        return factory.newDocumentBuilder()
                .parse(
                        new ByteArrayInputStream(
                                page.substring(page.indexOf('\n'))
                                        .getBytes(StandardCharsets.UTF_8)));
    }

    private static List<Element> all(Document page, String name) {
        NodeList found = page.getElementsByTagName(name);
        List<Element> all = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            all.add((Element) found.item(i));
        }
        return all;
    }

    private Element tile(String caption) throws Exception {
        return all(page(), "div").stream()
                .filter(each -> each.getAttribute("class").startsWith("tile"))
                .filter(each -> each.getTextContent().endsWith(caption))
                .findFirst()
                .orElseThrow();
    }

    private Element chart(String title) throws Exception {
        return all(page(), "figure").stream()
                .filter(each -> each.getTextContent().startsWith(title))
                .findFirst()
                .orElseThrow();
    }

    private String caption(String title) throws Exception {
        return chart(title).getElementsByTagName("figcaption").item(0).getTextContent();
    }

    private void isBad(String caption, String text, boolean isBad) throws Exception {
        Element tile = tile(caption);
        assertThat(tile.getTextContent()).isEqualTo(text + caption);
        assertThat(tile.getAttribute("class").contains("bad")).isEqualTo(isBad);
    }

    @Test
    void aTileIsBadWhenSomebodyShouldDoSomething() throws Exception {
        state.labelValues("a", "healthy").set(1);
        state.labelValues("a", "read-only").set(0);
        damaged.set(0);
        passes(5);
        isBad("cube", "healthy", false);
        isBad("damaged versions", "0", false);
        state.labelValues("a", "healthy").set(0);
        state.labelValues("a", "read-only").set(1);
        damaged.set(2);
        passes(5);
        isBad("cube", "read-only", true);
        isBad("damaged versions", "2", true);
    }

    /** Checks the first tile, which is above all sections. */
    private void verdictIs(String found, boolean isBad) throws Exception {
        Element top =
                all(page(), "div").stream()
                        .filter(each -> each.getAttribute("class").startsWith("tile"))
                        .findFirst()
                        .orElseThrow();
        assertThat(top.getTextContent()).contains("The store: " + found);
        assertThat(top.getAttribute("class").contains("bad")).isEqualTo(isBad);
    }

    @Test
    void thePageIsNotHealthyWhileWritesAreRefusedOrReadsFail() throws Exception {
        Gauge clientFree = gauge("volute_space_client_free_bytes", "cube");
        state.labelValues("a", "healthy").set(1);
        clientFree.labelValues("a").set(1000);
        clientFree.labelValues("b").set(1000);
        passes(5);
        verdictIs("it is healthy", false);
        unnamed.set(1);
        passes(5);
        verdictIs("it has damaged data: reads have met some", true);
        damaged.set(2);
        passes(5);
        verdictIs("it has damaged data: some reads fail", true);
        // After a repair, however often the damage was read.
        unnamed.set(0);
        damaged.set(0);
        passes(5);
        verdictIs("it is healthy", false);
        clientFree.labelValues("b").set(0);
        passes(5);
        verdictIs("it is full: writes are refused", true);
        state.labelValues("a", "healthy").set(0);
        state.labelValues("a", "read-only").set(1);
        passes(5);
        verdictIs("it is read-only", true);
    }

    private List<String> questions() throws Exception {
        return all(page(), "h2").stream().map(Element::getTextContent).toList();
    }

    /** The page of a node without the store has no figures of a store, above all no red ones. */
    @Test
    void aNodeShowsItsRoleAndTheStoreOnlyIfItHasIt() throws Exception {
        passes(5);
        assertThat(questions()).startsWith("Is it healthy?").endsWith("Users since the start");
        Gauge owner = gauge("volute_cluster_owner");
        Gauge connected = gauge("volute_cluster_connected");
        Gauge following = gauge("volute_standby_following", "cube");
        Gauge serves = gauge("volute_cube_serves", "cube");
        Counter forwarded = counter("volute_cluster_forwarded_requests_total");
        gauge("volute_cluster_nodes").set(3);
        connected.set(1);
        following.labelValues("a").set(1);
        following.labelValues("b").set(0);
        forwarded.inc(10);
        passes(5);
        assertThat(questions())
                .containsExactly("Which role does this node have?", "Is this node healthy?");
        isBad("role of this node", "building a standby", false);
        isBad("ZooKeeper", "answers", false);
        following.labelValues("b").set(1);
        forwarded.inc(20);
        passes(5);
        isBad("role of this node", "standby", false);
        assertThat(caption("Requests of this node's clients")).contains("forwarded 4/s");
        serves.labelValues("a").set(1);
        passes(5);
        isBad("role of this node", "owner of cubes", false);
        connected.set(0);
        owner.set(1);
        passes(5);
        isBad("role of this node", "owner", false);
        isBad("ZooKeeper", "does not answer", true);
        assertThat(questions())
                .startsWith("Which role does this node have?", "Is it healthy?")
                .doesNotContain("Is this node healthy?");
    }

    @Test
    void spaceIsOfAllCubesTogether() throws Exception {
        for (String cube : List.of("a", "b")) {
            live.labelValues(cube).set(40L << 30);
        }
        capacity.set(100L << 30);
        free.set(12L << 30);
        passes(5);
        isBad("live share of the capacity", "80 %", false);
        isBad("free before cleaning", "12 GiB", false);
        live.labelValues("b").set(56L << 30);
        free.set(7L << 30);
        passes(5);
        isBad("live share of the capacity", "96 %", true);
        isBad("free before cleaning", "7 GiB", false);
        assertThat(caption("Space")).contains("capacity 100 GiB").contains("live 96 GiB");
    }

    @Test
    void whatGrowsIsShownBySeconds() throws Exception {
        requests.labelValues("GetObject", "2xx").inc(1000);
        passes(5);
        requests.labelValues("GetObject", "2xx").inc(400);
        requests.labelValues("PutObject", "2xx").inc(100);
        requests.labelValues("PutObject", "5xx").inc(7.5);
        passes(5);
        assertThat(caption("Requests by status"))
                .contains("2xx 100/s")
                .contains("4xx 0/s")
                .contains("5xx 1.50/s");
        Element line =
                (Element) chart("Requests by status").getElementsByTagName("polyline").item(0);
        // 200 a second five seconds ago is the top; 100 now is half of that.
        assertThat(line.getAttribute("points")).isEqualTo("70.0,8.0 600.0,64.0");
        requests.clear();
        passes(5);
        assertThat(caption("Requests by status")).contains("2xx 0/s");
    }

    @Test
    void timesAreThoseOfRequestsSinceTheLastLook() throws Exception {
        for (int i = 0; i < 1000; i++) {
            firstByte.labelValues("GetObject").observe(0.09);
        }
        passes(5);
        for (int i = 0; i < 90; i++) {
            firstByte.labelValues("GetObject").observe(0.001);
        }
        for (int i = 0; i < 10; i++) {
            firstByte.labelValues("PutObject").observe(0.015);
        }
        passes(5);
        assertThat(caption("Time to first byte")).contains("p50 5.56 ms").contains("p99 19 ms");
        passes(5);
        assertThat(caption("Time to first byte")).contains("p50 –");
        // Without a figure the line ends.
        assertThat(
                        ((Element) chart("Time to first").getElementsByTagName("polyline").item(0))
                                .getAttribute("points")
                                .split(" "))
                .hasSize(2);
    }

    @Test
    void aNameCannotWriteIntoThePage() throws Exception {
        String name = "<script>alert(1)</script>&\"'";
        users.labelValues(name).inc(3);
        users.labelValues("alice").inc(30);
        passes(5);
        Document page = page();
        assertThat(all(page, "script")).isEmpty();
        assertThat(all(page, "td").stream().map(Element::getTextContent))
                .containsExactly("alice", "30", "0 B", "0 B", name, "3", "0 B", "0 B");
    }

    /** A browser takes what stands in a style element as it is: no reference is resolved there. */
    @Test
    void theStyleIsNotEscaped() {
        String page = new String(status.page(), StandardCharsets.UTF_8);
        String style = page.substring(page.indexOf("<style>"), page.indexOf("</style>"));
        assertThat(style).contains("\nbody { max-width").doesNotContain("&");
    }

    @Test
    void onlyTheLastMinutesAreRemembered() throws Exception {
        for (int i = 0; i < Status.LOOKS_KEPT + 40; i++) {
            passes(5);
        }
        assertThat(chart("Space").getTextContent()).contains("29 min ago");
        // A clock that is set back adds nothing, and breaks nothing.
        now = START;
        status.look();
        assertThat(chart("Space").getTextContent()).contains("29 min ago");
    }
}
