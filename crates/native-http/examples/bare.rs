//! reqwest by itself, without any of this crate: what of a request's time is neither JavaScript's nor ours. Takes the server's
//! port, the size of its answer, how many requests are measured, how many are not before them, and how many of them go at once;
//! prints what it measured as one line of JSON, µs a request. `bench/http.ts` runs it.

// Printing is what it is for.
#![allow(clippy::print_stdout)]

use std::time::Instant;

const BODY: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"small","arguments":{"text":"a small input"}}}"#;

type Failed = Box<dyn std::error::Error>;

/// So many requests, so many of them at a time.
async fn run(client: &reqwest::Client, url: &str, size: usize, requests: usize, at_once: usize) -> Result<(), Failed> {
    let loops = (0..at_once).map(|_| {
        let (client, url) = (client.clone(), url.to_owned());
        tokio::task::spawn_local(async move {
            for _ in 0..requests / at_once {
                let request = client.post(&url).header("content-type", "application/json").body(BODY);
                let length = request.send().await?.bytes().await?.len();
                assert_eq!(length, size, "bytes of the answer");
            }
            Ok::<_, reqwest::Error>(())
        })
    });
    for each in loops.collect::<Vec<_>>() {
        each.await??;
    }
    Ok(())
}

/// The CPU time of this process in µs, in steps of 10,000; nothing where the system does not say.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(") ").next().unwrap_or_default();
    after.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 10_000.0
}

async fn measured(
    client: &reqwest::Client,
    origin: &str,
    [size, requests, warm, at_once]: [usize; 4],
) -> Result<String, Failed> {
    let url = format!("{origin}/{size}");
    let server = async || -> Result<f64, Failed> {
        Ok(client.get(format!("{origin}/usage")).send().await?.text().await?.parse()?)
    };
    run(client, &url, size, warm, at_once).await?;
    let (server_before, cpu_before, start) = (server().await?, cpu(), Instant::now());
    run(client, &url, size, requests, at_once).await?;
    let (wall, used, served) =
        (start.elapsed().as_secs_f64() * 1e6, cpu() - cpu_before, server().await? - server_before);
    let [wall, cpu, server] = [wall, used, served].map(|all| all / requests as f64);
    Ok(format!(r#"{{"wall":{wall},"cpu":{cpu},"server":{server}}}"#))
}

fn main() -> Result<(), Failed> {
    let given = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<Vec<usize>, _>>()?;
    let [port, size, requests, warm, at_once] = given[..] else { return Err("five numbers are needed".into()) };
    // reqwest looks for one when it makes a client, though nothing here is encrypted.
    rustls::crypto::ring::default_provider().install_default().map_err(|_| "a provider is there")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let client = reqwest::Client::builder().no_proxy().build()?;
        let origin = format!("http://127.0.0.1:{port}");
        let one = measured(&client, &origin, [size, requests, warm, 1]).await?;
        let many = measured(&client, &origin, [size, requests, warm, at_once]).await?;
        println!(r#"{{"one":{one},"many":{many}}}"#);
        Ok(())
    })
}
