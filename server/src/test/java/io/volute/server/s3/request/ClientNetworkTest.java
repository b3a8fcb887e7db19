package io.volute.server.s3.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which addresses count as one client. */
class ClientNetworkTest {
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.2, false",
        "192.0.2.1, ::ffff:192.0.2.1, true",
        "2001:db8:0:1::1, 2001:db8:0:1:ffff::, true",
        "2001:db8:0:1::1, 2001:db8:0:2::1, false",
        "::1, ::2, true"
    })
    void tellsNetworksApart(String one, String other, boolean isSame) throws UnknownHostException {
        assertThat(network(one).equals(network(other))).isEqualTo(isSame);
    }

    private static String network(String literal) throws UnknownHostException {
        return ClientNetwork.of(InetAddress.getByName(literal).getHostAddress());
    }
}
