package io.volute.server.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.volute.server.Limits;
import io.volute.server.http.message.RequestIds;
import io.volute.server.http.message.ResponseHeads;
import io.volute.server.http.message.StrictRequestDecoder;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.ClientNetwork;
import io.volute.server.s3.request.S3Handler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The listening server. Owns its event loops and buffers; requests run on virtual threads that it
 * starts. Stop it with {@link #drain} and then {@link #close}.
 */
public final class HttpServer implements AutoCloseable {
    private final ServerParts parts;
    private final Optional<Tls> tls;
    private final MultiThreadIoEventLoopGroup acceptor;
    private final MultiThreadIoEventLoopGroup loops;
    private final Channel listener;
    private final PooledByteBufAllocator buffers;

    private HttpServer(
            ServerParts parts,
            Optional<Tls> tls,
            MultiThreadIoEventLoopGroup acceptor,
            MultiThreadIoEventLoopGroup loops,
            Channel listener,
            PooledByteBufAllocator buffers) {
        this.buffers = buffers;
        this.parts = parts;
        this.tls = tls;
        this.acceptor = acceptor;
        this.loops = loops;
        this.listener = listener;
    }

    /** The readiness of the service for requests. */
    public interface Readiness {
        /** A service that is always ready. */
        Readiness ALWAYS = () -> true;

        boolean isReady();

        /** Returns whether no part of the service has stopped taking writes since its start. */
        default boolean takesWrites() {
            return true;
        }

        /** Returns what a ready service lacks, for anybody to read; empty when it lacks nothing. */
        default String degraded() {
            return "";
        }
    }

    /**
     * The service behind the HTTP server.
     *
     * @param handler answers requests
     * @param ready decides the answer to {@code /health/ready}
     * @param watch receives the end of each request
     */
    public record Service(S3Handler handler, Readiness ready, RequestWatch watch) {
        /** Returns the same service with another handler. */
        public Service with(S3Handler other) {
            return new Service(other, ready, watch);
        }
    }

    /**
     * Binds the address and serves requests from now on.
     *
     * @throws IOException when the address cannot be bound or the TLS files cannot be used; the
     *     message names the next step
     */
    public static HttpServer start(
            HttpSettings settings, Service service, InstantSource clock, RandomGenerator random)
            throws IOException {
        return start(settings, () -> service, clock, random);
    }

    /**
     * Binds the address and serves requests from now on.
     *
     * @param services chooses the service of each request
     * @throws IOException as {@link #start(HttpSettings, Service, InstantSource, RandomGenerator)}
     */
    public static HttpServer start(
            HttpSettings settings, Services services, InstantSource clock, RandomGenerator random)
            throws IOException {
        return start(settings, services, clock, random, LoopDeadline::new);
    }

    static HttpServer start(
            HttpSettings settings,
            Services services,
            InstantSource clock,
            RandomGenerator random,
            Deadline.Source deadlines)
            throws IOException {
        Optional<Tls> tls = Tls.open(settings.tls());
        Thread.Builder.OfVirtual threads = Thread.ofVirtual().name("request-", 0);
        Executor requests = task -> threads.start(task);
        ServerParts parts =
                new ServerParts(
                        settings,
                        services,
                        requests,
                        new ResponseHeads(clock),
                        new RequestIds(random),
                        deadlines,
                        random.nextInt());
        int loopCount = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 2, 8);
        var acceptor =
                new MultiThreadIoEventLoopGroup(
                        1, new DefaultThreadFactory("http-accept"), NioIoHandler.newFactory());
        var loops =
                new MultiThreadIoEventLoopGroup(
                        loopCount, new DefaultThreadFactory("http-io"), NioIoHandler.newFactory());
        PooledByteBufAllocator buffers = allocator(loopCount);
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(acceptor, loops)
                        .channel(NioServerSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, Limits.BACKLOG_MAX)
                        .handler(new AcceptFailures())
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.SO_KEEPALIVE, true)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                        .childOption(ChannelOption.ALLOCATOR, buffers)
                        .childOption(
                                ChannelOption.RECVBUF_ALLOCATOR,
                                new AdaptiveRecvByteBufAllocator(1024, 4096, Limits.READ_BYTES_MAX)
                                        .maxMessagesPerRead(1))
                        .childHandler(new Pipeline(parts, tls));
        ChannelFuture bound = bootstrap.bind(settings.listen()).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stop(acceptor, loops);
            throw new IOException(cannotListen(settings.listen(), bound.cause()), bound.cause());
        }
        return new HttpServer(parts, tls, acceptor, loops, bound.channel(), buffers);
    }

    /**
     * Fails as {@link #start} would when an address cannot be listened on, before anything is made
     * that a later failure would leave behind.
     */
    public static void requireFree(InetSocketAddress address) throws IOException {
        // It does not listen: a client that waits for the server would take that for its start.
        try (Socket socket = new Socket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(cannotListen(address, e), e);
        }
    }

    /** Few arenas, and no caches of threads: what is freed can be used by every connection. */
    private static PooledByteBufAllocator allocator(int arenas) {
        return new PooledByteBufAllocator(true, 1, arenas, 8192, 8, 0, 0, false);
    }

    private static String cannotListen(InetSocketAddress address, Throwable cause) {
        return "cannot listen on "
                + address.getHostString()
                + ":"
                + address.getPort()
                + ": "
                + cause.getMessage()
                + "; if another program uses the port, stop it or choose another one with"
                + " --listen HOST:PORT";
    }

    /** Returns the bound address, with the actual port. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /**
     * Reads certificate and key again when their files have changed, for new connections; a pair
     * that cannot be used is logged, and the old one stays.
     *
     * @return whether there is a new one
     */
    public boolean reloadTls() {
        return tls.map(Tls::reload).orElse(false);
    }

    /**
     * Takes no new connections and requests, and waits for those being answered.
     *
     * @return whether all were answered within the time given
     */
    public boolean drain(Duration patience) throws InterruptedException {
        // The listener closes first, so that a client cannot reconnect after its connection is
        // closed.
        listener.close().awaitUninterruptibly();
        parts.beginDraining();
        for (Channel channel : parts.channels) {
            Connection connection = channel.pipeline().get(Connection.class);
            if (connection != null) {
                channel.eventLoop().execute(connection::stopIdle);
            }
        }
        return parts.awaitNoRequests(patience.toNanos());
    }

    /** Closes everything, cutting off what is still being answered. */
    @Override
    public void close() {
        parts.beginDraining();
        listener.close().awaitUninterruptibly();
        for (Channel channel : parts.channels) {
            channel.close().awaitUninterruptibly();
        }
        stop(acceptor, loops);
    }

    private static void stop(
            MultiThreadIoEventLoopGroup acceptor, MultiThreadIoEventLoopGroup loops) {
        var first = acceptor.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        first.awaitUninterruptibly();
    }

    /** Connections open; for tests and metrics. */
    public int connections() {
        return parts.admission.connections();
    }

    /** Requests being answered; for tests and metrics. */
    public int requests() {
        return parts.admission.requests();
    }

    /**
     * Direct memory that the buffers take from the system, pooled or used; for tests and metrics.
     */
    public long directBytes() {
        return buffers.metric().usedDirectMemory();
    }

    /** Connections taken since start, and those refused because there were too many. */
    public record Connections(long admitted, long refused) {}

    /** Counts since start. */
    public Connections connectionsSoFar() {
        return new Connections(parts.admission.admitted(), parts.admission.refused());
    }

    /** Requests that came while one was being answered; for tests and metrics. */
    public long pipelinedRequests() {
        return parts.pipelinedRequests();
    }

    /** Requests being answered whose callers are not authenticated; for tests and metrics. */
    public int unauthenticatedRequests() {
        return parts.admission.unauthenticated();
    }

    /** Returns the heap that documents and answers of requests hold. */
    public MemoryBudget.Usage memory() {
        return parts.memory.usage();
    }

    /** Returns the free bytes of the buffer budget. */
    public long freeBudgetBytes() {
        return parts.budget.freeBytes();
    }

    /** Builds the pipeline of a new connection, or turns it away. */
    private static final class Pipeline extends ChannelInitializer<SocketChannel> {
        private final ServerParts parts;
        private final Optional<Tls> tls;

        Pipeline(ServerParts parts, Optional<Tls> tls) {
            this.parts = parts;
            this.tls = tls;
        }

        @Override
        protected void initChannel(SocketChannel channel) {
            String address = ServerParts.remoteAddress(channel);
            Proxies proxies = parts.settings.proxies();
            Admission.Share share = parts.admission.enter(ClientNetwork.of(address));
            Admission.Entry entry = parts.admission.admit(share, proxies.isTrusted(address));
            onClose(channel, () -> parts.admission.leave(share, entry));
            switch (entry) {
                case ADMITTED -> {
                    parts.channels.add(channel);
                    onClose(channel, () -> parts.channels.remove(channel));
                    Peer peer = new Peer(parts, address, share);
                    if (proxies.sendsHeader(address)) {
                        channel.pipeline()
                                .addLast(
                                        new HAProxyMessageDecoder(
                                                Limits.PROXY_HEADER_BYTES_MAX, true),
                                        new ProxyHeader(parts, peer));
                    }
                    fill(channel, peer);
                }
                case REFUSED -> {
                    if (tls.isPresent()) {
                        close(channel);
                    } else {
                        channel.pipeline().addLast(new ConnectionRefusalHandler(parts));
                    }
                }
                case CUT -> close(channel);
            }
        }

        private void fill(SocketChannel channel, Peer peer) {
            if (tls.isPresent()) {
                SslHandler handler = tls.get().context().newHandler(channel.alloc());
                handler.setHandshakeTimeoutMillis(parts.settings.timeouts().handshake().toMillis());
                channel.pipeline().addLast(handler);
            }
            StrictRequestDecoder decoder = new StrictRequestDecoder(parts.settings.addedHeaders());
            channel.pipeline()
                    .addLast(
                            decoder,
                            new HttpResponseEncoder(),
                            new Connection(parts, decoder, peer));
        }

        private static void onClose(SocketChannel channel, Runnable action) {
            ChannelFuture unused = channel.closeFuture().addListener(f -> action.run());
        }

        private static void close(SocketChannel channel) {
            ChannelFuture unused = channel.close();
        }
    }
}
