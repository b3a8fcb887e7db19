package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.http.watch.RequestTally;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StandbyMetricsTest {
    private final Metrics metrics = new Metrics(new RequestTally(() -> 0));
    private final Map<String, StandbyFigures> standbys = new HashMap<>();

    @BeforeEach
    void add() {
        metrics.addStandbys(() -> standbys);
    }

    @AfterEach
    void close() {
        metrics.close();
    }

    @Test
    void eachCubeHasTheFiguresOfItsStandby() {
        assertThat(metrics.scrape()).doesNotContain("volute_standby");
        standbys.put("default", new StandbyFigures(true, 0.5, 4096, 2));
        standbys.put("other", new StandbyFigures(false, 7, 0, 0));
        assertThat(metrics.scrape())
                .contains("volute_standby_following{cube=\"default\"} 1.0")
                .contains("volute_standby_lag_seconds{cube=\"default\"} 0.5")
                .contains("volute_standby_lag_bytes{cube=\"default\"} 4096.0")
                .contains("volute_standby_builds{cube=\"default\"} 2.0")
                .contains("volute_standby_following{cube=\"other\"} 0.0")
                .contains("volute_standby_lag_seconds{cube=\"other\"} 7.0");
    }

    @Test
    void anOwnerHasNoLag() {
        standbys.put("default", new StandbyFigures(true, 0.5, 4096, 2));
        assertThat(metrics.scrape()).contains("volute_standby_following{cube=\"default\"} 1.0");
        standbys.clear();
        assertThat(metrics.scrape())
                .contains("volute_standby_following{cube=\"default\"} 0.0")
                .contains("volute_standby_lag_seconds{cube=\"default\"} 0.0");
    }
}
